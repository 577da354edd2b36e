# A formatter for figures of matplotlib, beside that of their pictures. It tells what a figure shows, only where the cell was
# run by nbduet, which takes it out of the output again.
#
# All of this is in a dictionary of its own. It runs while a cell of the user's shows a figure: so it calls nothing of the
# figure's, which code of the user's may have changed, but reads what is stored, and never raises.
import json
import sys

class_name = type.__dict__["__name__"].__get__
bases_of = type.__dict__["__mro__"].__get__
members_of = type.__dict__["__dict__"].__get__


def module_name(cls):
    name = type.__dict__["__module__"].__get__(cls)
    return name if type(name) is str else ""


def is_a(v, base):
    """isinstance asks the object itself, which may lie or run code; its real type does neither."""
    return base in bases_of(type(v))


def instance_dict(v):
    """The attributes that the object itself has. A class that replaces __dict__ is not asked."""
    for cls in bases_of(type(v)):
        entry = members_of(cls).get("__dict__")
        if entry is not None:
            found = entry.__get__(v) if type(entry) is type(type.__dict__["__name__"]) else None
            return found if type(found) is dict else {}
    return {}


def inside(v, name):
    return dict.get(instance_dict(v), name)


def stored_in(module, name):
    """What a module has, if it is loaded, as it is stored."""
    m = sys.modules.get(module)
    return m.__dict__.get(name) if type(m) is type(sys) else None


def cut(s, most):
    return str.__getitem__(s, slice(0, most)) + ("…" if str.__len__(s) > most else "")


