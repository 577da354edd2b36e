// Package images prepares kernel images for MCP clients, and caches them.
//
// An image comes in nbformat's form: a MIME type, and base64 or SVG text. [Decode] makes an [Image] of it: it trusts the
// bytes rather than the MIME type, finds the size without decoding the pixels, and refuses images that are broken or too
// large to decode. It cleans an SVG ([CleanSVG]): the result runs no scripts and loads nothing from elsewhere. [Fit] makes
// the picture for a client: within limits of pixels and bytes, complete, and of a type that models accept. An image that a
// client cannot decode can make a conversation unusable, so every returned image has been decoded here.
//
// SVG is drawn by resvg (https://github.com/linebender/resvg), compiled to WebAssembly and embedded; see the folder raster.
// It runs in a wazero sandbox, with bounded memory and time and without any access to files or the network, and each
// picture has its own instance.
//
// A [Store] gives images stable addresses, and keeps their bytes as long as they fit in its cache.
//
// # Concurrency
//
// All functions, and the methods of a Store, are safe for concurrent use. At most two images are decoded or drawn at one
// time in the process, which bounds the memory. No goroutine outlives a call.
package images
