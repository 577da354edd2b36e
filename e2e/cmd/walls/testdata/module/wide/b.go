package wide

func (w *Wide[T]) clear() { w.items = nil }
