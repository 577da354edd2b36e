package corpus_test

import (
	"testing"

	"github.com/nbduet/nbduet/e2e/kit"
)

func TestMain(m *testing.M) { kit.Main(m) }
