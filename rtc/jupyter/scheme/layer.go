package scheme

import (
	"net/http"
	"net/url"

	"github.com/nbduet/nbduet/rtc/jupyter/transport"
)

// Layer watches each request; base returns the address of its server. The error of a request is [ErrHTTP] or
// [ErrHTTPS] if the server does not speak its address's scheme.
func (w *Watch) Layer(base func(*http.Request) *url.URL) transport.Layer {
	return func(next http.RoundTripper) http.RoundTripper {
		return transport.Func(func(req *http.Request) (*http.Response, error) {
			ctx, look := w.Begin(req.Context(), base(req))
			resp, err := next.RoundTrip(req.WithContext(ctx))
			if err != nil {
				err = transport.Ended(ctx, look.Why(err))
				look.End()
				return nil, err
			}
			if err := look.Answered(resp.StatusCode); err != nil {
				_ = resp.Body.Close() // the answer contains nothing useful
				look.End()
				return nil, err
			}
			resp.Body = transport.Body(ctx, resp.Body, func() {}, look.End)
			return resp, nil
		})
	}
}
