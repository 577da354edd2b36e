package seeds

import (
	"encoding/base64"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/nbduet/nbduet/tools/toolstest/sample"
)

// Seed 003: pictures.
func checkPictures(c *check) {
	p := start(c, c.Server)
	session := text(p.good("session_create", nil).JSON, "session_id")
	const draw = "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()"
	drawn := p.good("execute_code", dict{"session_id": session, "code": draw})
	image := at(drawn.JSON, "images.0")
	uri := text(image, "resource_uri")
	c.row("003.038", uri != "" && text(image, "mime_type") == "image/png" && text(image, "description") != "", drawn.Raw)
	c.row("003.039", regexp.MustCompile(`^jupyter://sessions/`+regexp.QuoteMeta(session)+`/images/[\w-]+\.png$`).MatchString(uri), uri)
	c.row("003.040", regexp.MustCompile(`/[0-9a-f]{20}\.png$`).MatchString(uri), uri)
	c.row("003.041", text(image, "description") == "Code [1]: import matplotlib.pyplot as plt", image)
	c.row("003.042", fmt.Sprint(drawn.Images) == "[image/png]", drawn.Images)
	c.row("003.110", len(drawn.Images) == 1)
	c.row("003.053", len(drawn.Images) == 1)
	res := listed(p)[uri]
	c.row("003.043", text(res, "mimeType") == "image/png", res)
	c.row("003.045", text(res, "title") == "Code [1]", res)
	cell := p.good("execute_nb_cells", dict{"path": c.Server.Notebook(c, "1", draw), "ranges": []dict{{"start": 0, "end": 2}}})
	var said []string
	for _, r := range listed(p) {
		if text(r, "mimeType") == "image/png" {
			said = append(said, text(r, "description"))
		}
	}
	c.row("003.046", slices.ContainsFunc(said, regexp.MustCompile(`^Cell \[2\] of \S+\.ipynb: import matplotlib.pyplot as plt$`).MatchString), said, cell.Raw)
	read := p.resource(uri)
	blob, err := base64.StdEncoding.DecodeString(text(read.Result, "contents.0.blob"))
	c.row("003.048", err == nil && text(read.Result, "contents.0.uri") == uri && text(read.Result, "contents.0.mimeType") == "image/png" && strings.HasPrefix(string(blob), "\x89PNG"), len(blob))
	got := p.good("get_image_resource", dict{"resource_uri": uri})
	c.row("003.049", text(got.JSON, "mime_type") == "image/png" && text(got.JSON, "data") == text(read.Result, "contents.0.blob") && number(got.JSON, "width") > 0 && number(got.JSON, "height") > 0, len(got.Raw))
	const svg = `import base64\nfrom IPython.display import display\ndisplay({'image/svg+xml': '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"><rect width="40" height="20" fill="red"/></svg>'}, raw=True)`
	vector := p.good("execute_code", dict{"session_id": session, "code": strings.ReplaceAll(svg, `\n`, "\n")})
	at0 := at(vector.JSON, "images.0")
	c.row("003.050", text(at0, "mime_type") == "image/svg+xml" && len(vector.Images) == 1, vector.Raw)
	c.row("003.044", text(at0, "resource_uri") != "" && text(at0, "resource_uri") != uri)
	drawing := p.resource(text(at0, "resource_uri"))
	blob, err = base64.StdEncoding.DecodeString(text(drawing.Result, "contents.0.blob"))
	c.row("003.051", err == nil && text(drawing.Result, "contents.0.mimeType") == "image/svg+xml" && strings.Contains(string(blob), "<rect"), drawing.Raw)

	// Pictures of large outputs.
	var cells []string
	for i := range 6 {
		noise := sample.NoisePNG(c, 300+i, 300)
		if i == 0 {
			noise = sample.NoisePNG(c, 700, 500) // larger than the limit of an answer
		}
		cells = append(cells, fmt.Sprintf(`{"id":"n%d","cell_type":"code","metadata":{},"execution_count":1,"source":"x","outputs":[{"output_type":"display_data","metadata":{},"data":{"image/png":%q}}]}`, i, noise))
	}
	noisy := p.good("read_nb_cells", dict{"path": file(c, cells...)})
	c.row("003.087", len(noisy.Raw) <= 1_000_000 && len(noisy.Images) > 0, len(noisy.Raw), noisy.Images)
	large := regexp.MustCompile(`jupyter://sessions/[^ "\\]+\.png`).FindString(noisy.Texts[0])
	whole := p.resource(large)
	c.row("003.088", len(text(whole.Result, "contents.0.blob")) > 100_000 && len(whole.Raw) <= 1_000_000, len(whole.Raw), large)
	helped := p.good("get_image_resource", dict{"resource_uri": large})
	c.row("003.089", len(helped.Raw) > 100_000 && len(helped.Raw) <= 1_000_000, len(helped.Raw))
}
