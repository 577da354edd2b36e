package methods

func open(o opener) { o.Open() }
