# The formatter's place among those of the shell.
def told(v):
    cls = stored_in("matplotlib.figure", "Figure")
    if not is_a(cls, type) or not is_a(v, cls):
        return None
    if shell.display_pub.parent_header.get("username") != "nbduet":
        return None
    return json.dumps(figure_info(v), allow_nan=False)


def setup():
    from IPython.core.formatters import BaseFormatter

    class FigureFormatter(BaseFormatter):
        def __call__(self, v):
            try:
                return told(v)
            except Exception:
                return None  # then nothing is told

    shell.display_formatter.formatters[MIME] = FigureFormatter(parent=shell.display_formatter)


shell = sys.modules["IPython"].get_ipython()
setup()
