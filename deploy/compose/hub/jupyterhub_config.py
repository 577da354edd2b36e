import os, sys

import nativeauthenticator

c = get_config()

c.JupyterHub.bind_url = "http://:8000"
c.JupyterHub.hub_bind_url = "http://0.0.0.0:8081"
c.JupyterHub.hub_connect_url = "http://hub:8081"
c.JupyterHub.db_url = "sqlite:////srv/jupyterhub/jupyterhub.sqlite"
c.JupyterHub.cookie_secret_file = "/srv/jupyterhub/cookie_secret"

# People sign up, and the admin lets them in at /hub/authorize.
c.JupyterHub.authenticator_class = "nativeauthenticator.NativeAuthenticator"
c.JupyterHub.template_paths = [os.path.dirname(nativeauthenticator.__file__) + "/templates/"]
c.Authenticator.admin_users = {os.environ["ADMIN"]} if os.environ.get("ADMIN") else set()
c.Authenticator.allow_all = True

# One container for each user, whose home is kept.
c.JupyterHub.spawner_class = "dockerspawner.DockerSpawner"
c.DockerSpawner.image = "notebooks-notebook"
c.DockerSpawner.network_name = os.environ["NETWORK"]
c.DockerSpawner.use_internal_ip = True
c.DockerSpawner.remove = True
c.DockerSpawner.volumes = {"home-{username}": "/home/jovyan"}
c.DockerSpawner.mem_limit = "2G"
c.DockerSpawner.cpu_limit = 1.0
c.Spawner.start_timeout = 180

# nbduet runs in a container of its own, which the hub's proxy passes requests on to.
c.JupyterHub.services = [
    {
        "name": "nbduet",
        "url": "http://nbduet:3001",
        "api_token": os.environ["NBDUET_TOKEN"],
        "oauth_client_allowed_scopes": ["access:servers!user", "servers!user", "access:services!service=nbduet"],  # 6 has start:servers, which is less than servers
        "oauth_no_confirm": True,  # nbduet asks itself, and names the program
    },
    {
        "name": "culler",  # of servers that nobody has used for an hour; nbduet says so, and starts them when a call wants that
        "command": [sys.executable, "-m", "jupyterhub_idle_culler", "--timeout=3600"],
    },
]
c.JupyterHub.load_roles = [
    {"name": "user", "scopes": ["self", "access:services!service=nbduet"]},
    {"name": "culler", "services": ["culler"], "scopes": ["list:users", "read:users:activity", "read:servers", "delete:servers"]},
]
