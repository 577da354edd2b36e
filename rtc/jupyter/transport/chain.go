package transport

import (
	"log/slog"
	"net/http"
	"time"
)

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

// Header calls sign to complete the header of each request.
func Header(sign func(*http.Request)) Layer {
	return func(next http.RoundTripper) http.RoundTripper {
		return Func(func(req *http.Request) (*http.Response, error) {
			signed := req.Clone(req.Context()) // a RoundTripper must not modify the request
			sign(signed)
			return next.RoundTrip(signed)
		})
	}
}

// Log writes a debug line for each answered request, with its status, its duration, and the attributes from name.
func Log(log *slog.Logger, name func(*http.Request) []slog.Attr) Layer {
	return func(next http.RoundTripper) http.RoundTripper {
		return Func(func(req *http.Request) (*http.Response, error) {
			start := time.Now()
			resp, err := next.RoundTrip(req)
			if err == nil {
				log.LogAttrs(req.Context(), slog.LevelDebug, "jupyter request", append(name(req),
					slog.Int("status", resp.StatusCode), slog.Duration("took", time.Since(start)))...)
			}
			return resp, err
		})
	}
}
