"""What a report looks like to its readers: a terminal, a page, the candidate's feedback, files."""
