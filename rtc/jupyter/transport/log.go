package transport

import (
	"log/slog"
	"net/http"
	"time"
)

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
