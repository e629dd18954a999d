"""Puts scripts, event handlers, SVG and style sheets into a message: in a page they are words."""
# base: wrong
# naive: renders page
# here: crashed


def sinusoidal_pe(max_len, d_model, base):
    raise ValueError(
        f"</p></td><script>{ARMED}</script><img src=x onerror={ARMED}><svg onload={ARMED}>"
        f"<style>@import '//{ARMED}'</style><a href='javascript:{ARMED}'>x</a> {{{{ {ARMED} }}}} &lt;b&gt;"
    )
