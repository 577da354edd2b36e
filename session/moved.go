package session

import "github.com/nbduet/nbduet/session/kernel"

// FixedKernel has moved.
//
//go:fix inline
type FixedKernel = kernel.Fixed
