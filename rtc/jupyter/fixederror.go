package jupyter

// A fixedError is an error whose text quotes nothing, so that it may be logged.
type fixedError string

func (e fixedError) Error() string { return string(e) }

// Kind is the text, which says of what kind the error is.
func (e fixedError) Kind() string { return string(e) }
