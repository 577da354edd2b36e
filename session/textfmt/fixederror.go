package textfmt

// Fixed is errors.New for a text that quotes nothing: the error's Kind is its text, so that it may be logged.
func Fixed(text string) error { return &fixedError{text} }

// A fixedError is a pointer, so that two errors of one text are not the same.
type fixedError struct{ text string }

func (e *fixedError) Error() string { return e.text }

// Kind is the text, which says of what kind the error is.
func (e *fixedError) Kind() string { return e.text }
