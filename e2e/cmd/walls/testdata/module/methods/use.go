package methods

// Use names two methods and a field.
func Use(o *Outer) int {
	o.Grow()
	o.names.Add("a")
	return o.count
}
