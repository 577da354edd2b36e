// Package methods names methods through embedding, interfaces and type arguments, and fields.
package methods

type base struct{ count int }

type list[T any] struct{ items []T }

type opener interface{ Open() }
