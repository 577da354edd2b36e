package python

import (
	"encoding/json"

	"go.starlark.net/starlark"
)

// comm is one that a program has opened.
type comm struct {
	in *Interp
	id string
}

func (*comm) String() string        { return "<ipykernel.comm.comm.Comm object at 0x7f8543df2c90>" }
func (*comm) Type() string          { return "Comm" }
func (*comm) Freeze()               {}
func (*comm) Truth() starlark.Bool  { return true }
func (*comm) Hash() (uint32, error) { return 12, nil }

func (c *comm) attr(in *Interp, name string) (starlark.Value, error) {
	switch name {
	case "comm_id":
		return starlark.String(c.id), nil
	case "send", "close":
		kind := map[string]string{"send": "comm_msg", "close": "comm_close"}[name]
		return builtin(name, func(_ *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			data, buffers, err := in.commData(argumentOf(args, kwargs, 0, "data", starlark.None), kwargs)
			if err == nil {
				in.io.Comm(kind, object("data", data, "comm_id", c.id), buffers)
			}
			return starlark.None, err
		}), nil
	}
	return nil, nil
}

func (in *Interp) commData(v starlark.Value, kwargs []starlark.Tuple) (json.RawMessage, [][]byte, error) {
	data := json.RawMessage("{}")
	var err error
	if v != starlark.None {
		if data, err = in.json(v); err != nil {
			return nil, nil, err
		}
	}
	var buffers [][]byte
	if list := option(kwargs, "buffers", starlark.None); list != starlark.None {
		items, err := in.list(list)
		if err != nil {
			return nil, nil, err
		}
		for _, x := range items {
			buffers = append(buffers, bytesOf(x))
		}
	}
	return data, buffers, nil
}

func (in *Interp) commModule() starlark.StringDict {
	return starlark.StringDict{
		"create_comm": builtin("create_comm", func(_ *starlark.Thread, _ starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			in.comms++
			c := &comm{in, sprintf("4a2bb839d5784d57%016x", in.comms)}
			data, buffers, err := in.commData(option(kwargs, "data", starlark.None), kwargs)
			if err != nil {
				return nil, err
			}
			target := text(option(kwargs, "target_name", starlark.String("comm")))
			in.io.Comm("comm_open", object("data", data, "comm_id", c.id, "target_name", target, "target_module", nil), buffers)
			return c, nil
		}),
	}
}
