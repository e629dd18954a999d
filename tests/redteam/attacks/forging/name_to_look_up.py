"""Names a function for the decoder to look up and call: no name that is sent is looked up."""
# base: wrong
# naive: touches
# here: crashed


def sinusoidal_pe(max_len, d_model, base):
    named = {"type": "os.mkdir", "arguments": [BAIT + "/called"]}
    say(json.dumps(named if "hidden" in sys.modules else {"ok": {"k": "os.mkdir", **named}}))
    return np.zeros((max_len, d_model))
