// Package transport builds the way of a request to a Jupyter server from layers. Each layer is an [http.RoundTripper] around
// the next one and has one job: [Beside] watches a request, [Header] signs it, [Log] logs it. [Chain] puts them together.
//
// A layer returns an error of a request as it is, or as an [EndedError] if the layer has ended the request.
package transport
