"""The trusted side: pytest over the hidden tests, the clocks, and the stand-in for the candidate's code."""
