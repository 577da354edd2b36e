package methods

// Outer has the methods of the base.
type Outer struct {
	*base
	names list[string]
}
