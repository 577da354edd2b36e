package wide

func (narrow) three() {}
func (narrow) four()  {}
