// Package images makes the images of kernels fit for MCP clients, and caches them.
//
// An image comes as nbformat has it: a MIME type, and base64 or SVG text. [Decode] makes an [Image] of it: it believes
// the bytes rather than the name that they go by, knows the size without decoding the pixels, and refuses what is
// broken or too large to be worth decoding. An SVG is cleaned on the way ([CleanSVG]): what remains of it runs no
// script and reads nothing from elsewhere. [Fit] makes the picture that a client is shown: within a number of pixels
// and of bytes, whole and of a kind that models take. An image that a client cannot decode can make a conversation
// unusable, so nothing is passed on that has not been decoded here.
//
// SVG is drawn by resvg (https://github.com/linebender/resvg), compiled to WebAssembly and embedded; see the folder
// raster. It runs in a sandbox by wazero, with bounded memory and time and without any access to files or the network,
// and each picture has an instance of its own.
//
// A [Store] gives images stable addresses, and keeps their bytes as long as they fit in its cache.
//
// # Concurrency
//
// All functions, and the methods of a Store, are safe for concurrent use. At most two images are decoded or drawn at
// one time in the process, which bounds the memory that they take. No goroutine outlives a call.
package images
