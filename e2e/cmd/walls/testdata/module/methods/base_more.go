package methods

func (b *base) Grow() { b.count++ }

func (l *list[T]) Add(item T) { l.items = append(l.items, item) }
