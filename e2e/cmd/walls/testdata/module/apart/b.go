package apart

// B needs nothing.
func B() int { return 1 }
