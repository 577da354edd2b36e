package python

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"io"
	"math"
	"strings"

	"go.starlark.net/starlark"
)

func bytesOf(v starlark.Value) []byte {
	switch v := v.(type) {
	case starlark.Bytes:
		return []byte(v)
	case starlark.String:
		return []byte(v)
	}
	return nil
}

func (in *Interp) base64Module() starlark.StringDict {
	encode := plainFunc("b64encode", func(args starlark.Tuple) (starlark.Value, error) {
		if _, ok := args[0].(starlark.Bytes); !ok {
			return nil, in.exceptionf("TypeError", "a bytes-like object is required, not '%s'", in.typeName(args[0]))
		}
		return starlark.Bytes(base64.StdEncoding.EncodeToString(bytesOf(args[0]))), nil
	})
	decode := plainFunc("b64decode", func(args starlark.Tuple) (starlark.Value, error) {
		b, err := base64.StdEncoding.DecodeString(string(bytesOf(args[0])))
		if err != nil {
			return nil, in.exceptionf("ValueError", "Incorrect padding")
		}
		return starlark.Bytes(b), nil
	})
	return starlark.StringDict{"b64encode": encode, "b64decode": decode}
}

func (in *Interp) zlibModule() starlark.StringDict {
	return starlark.StringDict{
		"crc32": plainFunc("crc32", func(args starlark.Tuple) (starlark.Value, error) {
			return starlark.MakeUint64(uint64(crc32.ChecksumIEEE(bytesOf(args[0])))), nil
		}),
		"compress": plainFunc("compress", func(args starlark.Tuple) (starlark.Value, error) {
			var b bytes.Buffer
			w := zlib.NewWriter(&b)
			_, err := w.Write(bytesOf(args[0]))
			err = firstError(err, w.Close())
			return starlark.Bytes(b.String()), err
		}),
		"decompress": plainFunc("decompress", func(args starlark.Tuple) (starlark.Value, error) {
			r, err := zlib.NewReader(bytes.NewReader(bytesOf(args[0])))
			if err != nil {
				return nil, in.exceptionf("ValueError", "Error -3 while decompressing data: incorrect header check")
			}
			out, err := io.ReadAll(r)
			return starlark.Bytes(out), err
		}),
	}
}

// structModule has pack, for numbers of the big-endian or little-endian kinds.
func (in *Interp) structModule() starlark.StringDict {
	return starlark.StringDict{"pack": plainFunc("pack", func(args starlark.Tuple) (starlark.Value, error) {
		format := text(args[0])
		args = args[1:]
		var order binary.AppendByteOrder = binary.LittleEndian
		if strings.HasPrefix(format, ">") || strings.HasPrefix(format, "!") {
			order = binary.BigEndian
		}
		var out []byte
		for _, c := range strings.TrimLeft(format, "<>!=@") {
			if len(args) == 0 {
				return nil, in.exceptionf("ValueError", "pack expected more items for packing")
			}
			n, _ := integer(args[0])
			switch c {
			case 'b', 'B':
				out = append(out, byte(n))
			case 'h', 'H':
				out = order.AppendUint16(out, uint16(n))
			case 'i', 'I', 'l', 'L':
				out = order.AppendUint32(out, uint32(n))
			case 'q', 'Q':
				out = order.AppendUint64(out, uint64(n))
			case 'd':
				f, _ := starlark.AsFloat(args[0])
				out = order.AppendUint64(out, math.Float64bits(f))
			default:
				return nil, in.exceptionf("ValueError", "bad char in struct format")
			}
			args = args[1:]
		}
		return starlark.Bytes(out), nil
	})}
}

func (in *Interp) jsonModule() starlark.StringDict {
	return starlark.StringDict{
		"dumps": plainFunc("dumps", func(args starlark.Tuple) (starlark.Value, error) {
			b, err := in.json(args[0])
			return starlark.String(b), err
		}),
		"loads": plainFunc("loads", func(args starlark.Tuple) (starlark.Value, error) {
			v, err := fromJSON(text(args[0]))
			if err != nil {
				return nil, in.exceptionf("ValueError", "Expecting value: line 1 column 1 (char 0)")
			}
			return v, nil
		}),
	}
}

func (in *Interp) mathModule() starlark.StringDict {
	out := starlark.StringDict{
		"pi": starlark.Float(math.Pi), "e": starlark.Float(math.E), "inf": starlark.Float(math.Inf(1)), "nan": starlark.Float(math.NaN()),
	}
	for name, fn := range map[string]func(float64) float64{
		"sqrt": math.Sqrt, "sin": math.Sin, "cos": math.Cos, "tan": math.Tan, "exp": math.Exp, "log": math.Log, "log2": math.Log2,
		"log10": math.Log10, "floor": math.Floor, "ceil": math.Ceil, "fabs": math.Abs,
	} {
		out[name] = plainFunc(name, func(args starlark.Tuple) (starlark.Value, error) {
			f, ok := starlark.AsFloat(asNumber(args[0]))
			if !ok {
				return nil, in.exceptionf("TypeError", "must be real number, not %s", in.typeName(args[0]))
			}
			y := fn(f)
			if math.IsNaN(y) && !math.IsNaN(f) || strings.HasPrefix(name, "log") && f <= 0 {
				return nil, in.exceptionf("ValueError", "math domain error")
			}
			if name == "floor" || name == "ceil" {
				return starlark.NumberToInt(starlark.Float(y))
			}
			return starlark.Float(y), nil
		})
	}
	return out
}
