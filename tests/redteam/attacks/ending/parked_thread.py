"""Parks a thread that the interpreter waits for when it ends: nobody waits for a polite end."""

# base: right
# naive: hangs
# here: passes
threading.Thread(target=time.sleep, args=(20 * bool(ARMED),), daemon=False).start()
