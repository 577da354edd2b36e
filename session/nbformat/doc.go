// Package nbformat reads and writes notebooks as their files have them, in nbformat 4
// (nbformat/v4/nbformat.v4.5.schema.json). What it reads comes from callers, so it is checked and refused with words
// that say where the mistake is.
package nbformat
