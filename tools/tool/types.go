package tool

// Types lets a field be of any of several JSON types, where its Go type does not say which.
func (f Field) Types(names ...string) Field {
	f.schema.Type, f.schema.Types = "", names
	return f
}
