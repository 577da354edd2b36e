package jupyter

// Server is a client of one Jupyter Server, grouped by API. It is safe for concurrent use.
type Server struct {
	*Client
	Contents Contents
	Kernels  Kernels
	Sessions Sessions
	Rooms    Rooms
	Hub      Hub
	Health   Health
}

// New returns the server that opt describes. It sends nothing yet. Errors describe the address without its query,
// which may hold a token.
func New(opt Options) (*Server, error) {
	c, err := newClient(opt)
	if err != nil {
		return nil, err
	}
	return &Server{c, Contents{c}, Kernels{c}, Sessions{c}, Rooms{c}, Hub{c}, Health{c}}, nil
}

// Redactor returns a Redact for several servers. It replaces longer tokens first, so that no part of one is left.
func Redactor(servers ...*Server) func(text string) string {
	var clients []*Client
	for _, s := range servers {
		if s != nil {
			clients = append(clients, s.Client)
		}
	}
	return redactor(clients...)
}
