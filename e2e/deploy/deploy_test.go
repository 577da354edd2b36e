package deploy

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/shoenig/test"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"

	"github.com/nbduet/nbduet/e2e/agent"
	"github.com/nbduet/nbduet/e2e/child"
	"github.com/nbduet/nbduet/e2e/lab"
)

func folder(t *testing.T, parts ...string) string {
	t.Helper()
	root, err := lab.RepoRoot()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(append([]string{root}, parts...)...)
}

// compose reads the file as docker compose does.
func compose(t *testing.T) map[string]map[string]string {
	t.Helper()
	options, err := cli.NewProjectOptions([]string{folder(t, "deploy", "compose", "compose.yaml")},
		cli.WithEnv([]string{"NBDUET_TOKEN=secret", "ADMIN=ann"}), cli.WithProfiles([]string{"build-only"}))
	if err != nil {
		t.Fatal(err)
	}
	project, err := options.LoadProject(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	env := map[string]map[string]string{}
	for name, s := range project.Services {
		env[name] = map[string]string{}
		for key, value := range s.Environment {
			if value != nil {
				env[name][key] = *value
			}
		}
		if name != "notebook" && s.MemLimit == 0 {
			t.Errorf("%s has no limit of memory", name)
		}
		if s.Build != nil {
			if _, err := os.Stat(filepath.Join(s.Build.Context, "Dockerfile")); err != nil {
				t.Error(err)
			}
		}
	}
	return env
}

// manifest reads the objects of the manifest as strictly as a server of Kubernetes can.
func manifest(t *testing.T) (hubConfig string, nbduet map[string]string) {
	t.Helper()
	b, err := os.ReadFile(folder(t, "deploy", "kubernetes", "notebooks.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	names, uses := map[string]bool{}, []string{}
	for reader := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(b))); ; {
		doc, err := reader.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		var head struct {
			Kind     string `json:"kind"`
			Metadata struct {
				Name string `json:"name"`
			} `json:"metadata"`
		}
		if err := yaml.Unmarshal(doc, &head); err != nil {
			t.Fatal(err)
		}
		names[head.Kind+"/"+head.Metadata.Name] = true
		objects := map[string]any{
			"ConfigMap": &corev1.ConfigMap{}, "ServiceAccount": &corev1.ServiceAccount{}, "Role": &rbacv1.Role{}, "RoleBinding": &rbacv1.RoleBinding{},
			"PersistentVolumeClaim": &corev1.PersistentVolumeClaim{}, "Deployment": &appsv1.Deployment{}, "Service": &corev1.Service{},
			"NetworkPolicy": &networkingv1.NetworkPolicy{}, "Ingress": &networkingv1.Ingress{},
		}
		object := objects[head.Kind]
		if object == nil {
			t.Errorf("%s is of no kind that is known", head.Kind)
			continue
		}
		if err := yaml.UnmarshalStrict(doc, object); err != nil {
			t.Errorf("%s %s: %v", head.Kind, head.Metadata.Name, err)
		}
		switch o := object.(type) {
		case *corev1.ConfigMap:
			hubConfig = o.Data["jupyterhub_config.py"]
		case *appsv1.Deployment:
			if !labelled(o) {
				t.Errorf("%s does not select its own pods", o.Name)
			}
			pod := o.Spec.Template.Spec
			for _, v := range pod.Volumes {
				if v.PersistentVolumeClaim != nil {
					uses = append(uses, "PersistentVolumeClaim/"+v.PersistentVolumeClaim.ClaimName)
				}
			}
			for _, c := range pod.Containers {
				test.False(t, c.Resources.Limits.Memory().IsZero())
				test.False(t, c.Resources.Requests.Cpu().IsZero())
				if o.Name == "nbduet" {
					nbduet = plain(c.Env)
				}
			}
		case *networkingv1.Ingress:
			uses = append(uses, "Service/"+o.Spec.Rules[0].HTTP.Paths[0].Backend.Service.Name)
		}
	}
	for _, use := range uses {
		if !names[use] {
			t.Errorf("there is no %s", use)
		}
	}
	return hubConfig, nbduet
}

func labelled(d *appsv1.Deployment) bool {
	for key, value := range d.Spec.Selector.MatchLabels {
		if d.Spec.Template.Labels[key] != value {
			return false
		}
	}
	return true
}

// plain returns an environment with "secret" for values from elsewhere.
func plain(env []corev1.EnvVar) map[string]string {
	out := map[string]string{}
	for _, e := range env {
		out[e.Name] = e.Value
		if e.ValueFrom != nil {
			out[e.Name] = "secret"
		}
	}
	return out
}

// The hub reads its configuration and gives nbduet the values that nbduet's container has.
func TestHubTakesItsConfiguration(t *testing.T) {
	inCluster, nbduet := manifest(t)
	composed := compose(t)
	file, err := os.ReadFile(folder(t, "deploy", "compose", "hub", "jupyterhub_config.py"))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		config string
		nbduet map[string]string
	}{"compose": {string(file), composed["nbduet"]}, "kubernetes": {inCluster, nbduet}} {
		t.Run(name, func(t *testing.T) {
			got := configured(t, c.config)
			test.StrHasSuffix(t, "hub:8081/hub/api", c.nbduet["JUPYTERHUB_API_URL"])
			test.Eq(t, "http://hub:8081", got.JupyterHub.Connect)
			i := slices.IndexFunc(got.JupyterHub.Services, func(s service) bool { return s.Name == c.nbduet["JUPYTERHUB_SERVICE_NAME"] })
			if i < 0 {
				t.Fatalf("%+v", got)
			}
			s := got.JupyterHub.Services[i]
			test.Eq(t, "http://nbduet:3001", s.URL)
			test.Eq(t, "secret", s.Token)
			test.Eq(t, "secret", c.nbduet["JUPYTERHUB_API_TOKEN"])
			test.Eq(t, "/services/"+s.Name+"/", c.nbduet["JUPYTERHUB_SERVICE_PREFIX"])
			for _, scope := range []string{"access:servers!user", "servers!user"} {
				if !slices.Contains(s.Scopes, scope) {
					t.Error("logins do not get", scope)
				}
			}
			if !slices.ContainsFunc(got.JupyterHub.Roles, func(r role) bool {
				return r.Name == "user" && slices.Contains(r.Scopes, "access:services!service="+s.Name)
			}) {
				t.Error("users may not use the service")
			}
		})
	}
}

type service struct {
	Name   string   `json:"name"`
	URL    string   `json:"url"`
	Token  string   `json:"api_token"`
	Scopes []string `json:"oauth_client_allowed_scopes"`
}

type role struct {
	Name   string   `json:"name"`
	Scopes []string `json:"scopes"`
}

type settings struct {
	JupyterHub struct {
		Connect  string    `json:"hub_connect_url"`
		Services []service `json:"services"`
		Roles    []role    `json:"load_roles"`
	}
}

// others are placeholders for classes of hubs' images that the tests' environment lacks; they do nothing here.
var others = map[string]string{
	"nativeauthenticator": "from jupyterhub.auth import DummyAuthenticator\nclass NativeAuthenticator(DummyAuthenticator): pass\n",
	"dockerspawner":       "from jupyterhub.spawner import SimpleLocalProcessSpawner\nclass DockerSpawner(SimpleLocalProcessSpawner): pass\n",
	"kubespawner":         "from jupyterhub.spawner import SimpleLocalProcessSpawner\nclass KubeSpawner(SimpleLocalProcessSpawner): pass\n",
}

// reading makes the hub read a file and prints the result. Settings of wrong types are errors.
const reading = `
import json, sys
from jupyterhub.app import JupyterHub
JupyterHub.raise_config_file_errors = True
app = JupyterHub()
app.load_config_file(sys.argv[1])
print(json.dumps(app.config, default=str))
`

// configured returns a configuration as the hub reads it.
func configured(t *testing.T, config string) (got settings) {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "jupyterhub_config.py")
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	for module, text := range others {
		if err := os.WriteFile(filepath.Join(dir, module+".py"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	python, err := child.Python(folder(t))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), python, "-c", reading, file)
	cmd.Dir = dir
	cmd.Env = append(lab.CleanEnv(), "PYTHONPATH="+folder(t, ".cache", "hub6")+":"+dir, "NBDUET_TOKEN=secret", "NETWORK=notebooks", "HUB_PASSWORD=x", "ADMIN=ann")
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, complaints.String())
	}
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return got
}

// The program starts with the environment of its containers and listens where their services expect it.
func TestProgramTakesItsEnvironment(t *testing.T) {
	_, inCluster := manifest(t)
	root := folder(t)
	binary, err := agent.Build(root, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, env := range map[string]map[string]string{"compose": compose(t)["nbduet"], "kubernetes": inCluster} {
		t.Run(name, func(t *testing.T) {
			ctx, stop := context.WithTimeout(t.Context(), 20*time.Second)
			defer stop()
			cmd := exec.CommandContext(ctx, binary, "hub", "--port", "0", "--host", "127.0.0.1", "--state", ":memory:")
			cmd.Env = append(lab.CleanEnv(), "HOME="+t.TempDir())
			for key, value := range env {
				cmd.Env = append(cmd.Env, key+"="+value)
			}
			said, err := cmd.StderrPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			var heard strings.Builder
			b := make([]byte, 4096)
			for !strings.Contains(heard.String(), "serving the users of the hub at") {
				n, err := said.Read(b)
				heard.Write(b[:n])
				if err != nil {
					break
				}
			}
			stop()
			_ = cmd.Wait() // it was killed
			if want := "serving the users of the hub at " + env["NBDUET_RESOURCE_URL"] + "/mcp"; !strings.Contains(heard.String(), want) {
				t.Errorf("%s: %s", want, heard.String())
			}
		})
	}
}
