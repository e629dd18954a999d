"""What a report looks like to those who read it: a terminal, a page, the candidate's feedback, the three files."""
