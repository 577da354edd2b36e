package circle

// B needs C.
func B() int { return new(C).D() }
