package images_test

import (
	"context"
	"fmt"

	"github.com/nbduet/nbduet/rtc/jupyter"
	"github.com/nbduet/nbduet/session/render/images"
)

// A cell has an SVG output. It gets an address, and a picture that models accept.
func ExampleStore() {
	const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="20" height="10" onload="steal()"><rect width="20" height="10" fill="red"/></svg>`
	store := images.NewStore(images.DefaultCache)
	entry, image, err := store.Add(images.Origin{Session: "s1", Path: jupyter.MustPath("counts.ipynb"), CellID: "plot"}, images.SVG, svg)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(entry.URI())
	fmt.Println(string(image.Data))

	shown, err := store.Show(context.Background(), entry, image, images.Limits{Side: images.MaxShown, Bytes: 1_000_000})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(shown.MIME, shown.Width, shown.Height)
	// Output:
	// jupyter://sessions/s1/images/c6ed8ba6ab316aa6f77d.svg
	// <svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="20" height="10"><rect width="20" height="10" fill="red"></rect></svg>
	// image/png 20 10
}
