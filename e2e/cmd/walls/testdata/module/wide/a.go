// Package wide has types with methods, of which one has most.
package wide

// Wide has three methods: two of its pointer and one of its value, in two files.
type Wide[T any] struct{ items []T }

// Len is of the value.
func (w Wide[T]) Len() int { return len(w.items) }

// Add is of the pointer.
func (w *Wide[T]) Add(item T) { w.items = append(w.items, item) }

// Outer has what it embeds, and one method of its own.
type Outer struct{ *Wide[string] }

// First is Outer's own.
func (o Outer) First() string { return o.items[0] }

// Asked has more methods, and declares none of them.
type Asked interface {
	Len() int
	Add(item string)
	First() string
	Last() string
}

type narrow int

func (narrow) one() {}
func (narrow) two() {}
