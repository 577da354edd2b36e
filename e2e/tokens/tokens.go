package tokens

import (
	"fmt"
	"sync"

	"github.com/tiktoken-go/tokenizer"
)

// codec is built only once: its vocabulary has two hundred thousand entries.
var codec = sync.OnceValues(func() (tokenizer.Codec, error) { return tokenizer.Get(tokenizer.O200kBase) })

// Count returns the number of tokens of a text.
func Count(text string) (int, error) {
	c, err := codec()
	if err != nil {
		return 0, fmt.Errorf("load the encoding o200k: %w", err)
	}
	n, err := c.Count(text)
	if err != nil {
		return 0, fmt.Errorf("count the tokens of %d bytes: %w", len(text), err)
	}
	return n, nil
}
