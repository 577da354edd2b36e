// Package words writes what people and models read in messages: numbers, quotations, and texts that are cut to size.
package words
