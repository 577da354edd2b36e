package circle

// Top needs the others, and none needs it.
func Top() int { return A() + B() }
