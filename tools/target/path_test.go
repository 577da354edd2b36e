package target

import (
	"testing"

	"github.com/nbduet/nbduet/rtc/jupyter"
)

func TestPageURL(t *testing.T) {
	if got := PageURL("http://h/p", jupyter.MustPath("My work/日 #%?.ipynb")); got != "http://h/p/lab/tree/My%20work/%E6%97%A5%20%23%25%3F.ipynb" {
		t.Errorf("pageURL = %q", got)
	}
}
