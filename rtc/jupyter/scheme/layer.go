package scheme

import (
	"net/http"
	"net/url"

	"github.com/nbduet/nbduet/rtc/jupyter/transport"
)

// Layer looks at each request; base is the address of the server that it is for. The error of a request is [ErrHTTP] or
// [ErrHTTPS] where the server does not understand its address.
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
				_ = resp.Body.Close() // the answer says nothing
				look.End()
				return nil, err
			}
			resp.Body = transport.Body(ctx, resp.Body, func() {}, look.End)
			return resp, nil
		})
	}
}
