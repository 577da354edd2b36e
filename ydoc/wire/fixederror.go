package wire

// Fixed is errors.New for a text without quoted data: the error's Kind is its text, so that it may be logged.
func Fixed(text string) error { return &fixedError{text} }

// A fixedError is used as a pointer, so that two errors with one text are different.
type fixedError struct{ text string }

func (e *fixedError) Error() string { return e.text }

// Kind returns the text as the kind of the error.
func (e *fixedError) Kind() string { return e.text }
