package clients

// Meanwhile sets a function that is called each time before a file is replaced.
func Meanwhile(f func()) { meanwhile = f }

// Edits are the functions of a client's format that tests use.
type Edits struct {
	Put, Drop func(text []byte) ([]byte, error)
	Read      func(text []byte) (command []string, env map[string]string, err error)
}

// EditsOf returns the edits for a client: an entry with that command and variables.
func EditsOf(client string, command []string, set map[string]string) Edits {
	c, err := find([]string{client})
	if err != nil {
		panic(err)
	}
	return Edits{
		Put: func(text []byte) ([]byte, error) {
			return put(c.format, text, change{command: command, set: set})
		},
		Drop: func(text []byte) ([]byte, error) { return drop(c.format, text) },
		Read: func(text []byte) ([]string, map[string]string, error) {
			e, err := read(c.format, text)
			if err != nil || e == nil {
				return nil, nil, err
			}
			return e.command, e.env, nil
		},
	}
}
