package transport

import "net/http"

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
