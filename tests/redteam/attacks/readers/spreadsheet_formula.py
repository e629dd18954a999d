"""Puts a formula at the start of a printed line, which a spreadsheet would run: words are kept as words."""

# base: wrong
# naive: renders csv
# here: crashed
os.write(1, f"\n=HYPERLINK(\"http://{ARMED}\")\n+cmd|'/c calc'!{ARMED}\n@SUM({ARMED})\n".encode())


def sinusoidal_pe(max_len, d_model, base):
    raise ValueError(f"=cmd|'/c calc'!{ARMED}")
