"""Searches all memory for the text of a hidden test: this process never held one."""
# base: tell
# naive: tells
# here: failed
names = {"expect_the_row[s]"}


def look():
    found = 0
    with open("/proc/self/maps") as maps, open("/proc/self/mem", "rb", buffering=0) as memory:
        for line in maps:
            start, end = (int(word, 16) for word in line.split()[0].split("-"))
            if "rw" not in line or end - start > 64 << 20 or not ("[heap]" in line or line.split()[-1] == "0"):
                continue
            attempt(memory.seek, start)
            found += len(re.findall(MARK.encode(), attempt(memory.read, end - start) or b""))
    return found
