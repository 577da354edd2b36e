package transport

import "net/http"

// A Layer wraps an [http.RoundTripper] around the next one.
type Layer func(next http.RoundTripper) http.RoundTripper

// Func is a function as an [http.RoundTripper].
type Func func(*http.Request) (*http.Response, error)

// RoundTrip calls the function.
func (f Func) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// Chain wraps layers around a base. The first layer is the outermost.
func Chain(base http.RoundTripper, layers ...Layer) http.RoundTripper {
	for i := len(layers) - 1; i >= 0; i-- {
		base = layers[i](base)
	}
	return base
}
