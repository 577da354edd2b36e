package tool

// As gives a field the schema of another type than its own, where its own can hold any JSON.
func (f Field) As(shape Schema) Field {
	description := f.schema.Description
	*f.schema = *shape.schema.CloneSchemas()
	return f.Say(description)
}
