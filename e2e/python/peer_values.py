"""Values as they are exchanged with the differential tests: JSON, and objects with the key "$" for what JSON lacks."""

import base64
import math

from pycrdt import Array, Doc, Map, Text


def encode_bytes(b):
    return base64.b64encode(b).decode()


def decode_value(v):
    if isinstance(v, list):
        return [decode_value(e) for e in v]
    if not isinstance(v, dict):
        return v
    if "$" not in v:
        return {k: decode_value(e) for k, e in v.items()}
    match v["$"]:
        case "undefined":
            return None
        case "bigint":
            return int(v["v"])
        case "bytes":
            return base64.b64decode(v["v"])
        case "float":
            return float(v["v"].replace("Infinity", "inf"))
        case "map":
            return Map({k: decode_value(e) for k, e in v["v"].items()})
        case "array":
            return Array([decode_value(e) for e in v["v"]])
        case "text":
            return Text(v["v"])
    raise ValueError(f"no such value: {v['$']}")


def encode_value(v):
    if isinstance(v, (Map, Array)):
        v = v.to_py()
    if isinstance(v, Text):
        return str(v)
    if isinstance(v, Doc):
        return {"$": "doc", "v": v.guid}
    if isinstance(v, (bytes, bytearray)):
        return {"$": "bytes", "v": encode_bytes(bytes(v))}
    if isinstance(v, float):
        if not math.isfinite(v):
            return {"$": "float", "v": "NaN" if math.isnan(v) else "Infinity" if v > 0 else "-Infinity"}
        return int(v) if v == int(v) else v
    if isinstance(v, dict):
        return {k: encode_value(e) for k, e in v.items()}
    if isinstance(v, (list, tuple)):
        return [encode_value(e) for e in v]
    return v


def mod(n, m):
    return n % m if m > 0 else 0
