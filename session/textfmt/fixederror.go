package textfmt

// Fixed is errors.New for a text without quoted values: the error's Kind is its text, so that it may be logged.
func Fixed(text string) error { return &fixedError{text} }

// A fixedError is a pointer, so that two errors with the same text are different.
type fixedError struct{ text string }

func (e *fixedError) Error() string { return e.text }

// Kind returns the text, which identifies the kind of the error.
func (e *fixedError) Kind() string { return e.text }
