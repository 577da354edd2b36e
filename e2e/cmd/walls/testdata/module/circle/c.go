package circle

// C is a type whose method needs A.
type C struct{ top int }

// D needs A.
func (c *C) D() int { return A() + c.top }
