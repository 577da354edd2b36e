// Package transport builds the HTTP transport for a Jupyter server from layers. Each layer is an [http.RoundTripper]
// around the next one and has one job: [Beside] watches a request, [Header] signs it, [Log] logs it. [Chain] combines
// them.
//
// A layer returns the error of a request unchanged, or as an [EndedError] if the layer has ended the request.
package transport
