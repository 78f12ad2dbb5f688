# The sandbox's cloud is asked for a machine, which is a real Kubernetes, and
# publishes its kubeconfig as the first control plane of a real cloud does.
variable "cluster_name" {
  type        = string
  description = "What the cluster is called."
}

variable "kubernetes_version" {
  type        = string
  description = "Version that is asked for. The sandbox has one only."
}

variable "parameter_prefix" {
  type        = string
  description = "Where the kubeconfig is published."
}

variable "control_plane_count" {
  type        = number
  description = "Control planes that are asked for. The sandbox makes one node that is everything."
}

variable "node_count" {
  type        = number
  description = "Workers that are asked for, which the sandbox's cloud only remembers."
}

variable "max_node_count" {
  type = number
}

variable "instance_type" {
  type        = string
  description = "Kind of machine. The sandbox's cloud has too few of the kind quota.exceeded, and makes the kind paper.only on paper."
}

variable "spot" {
  type = bool
}

variable "node_volume_size_gib" {
  type = number
}

variable "network_id" {
  type = string
}

variable "public_subnet_ids" {
  type = list(string)
}

variable "private_subnet_ids" {
  type = list(string)
}

variable "cluster_security_group_id" {
  type = string
}

variable "control_plane_security_group_id" {
  type = string
}

variable "load_balancer_security_group_ids" {
  type = list(string)
}

variable "control_plane_instance_profile" {
  type = string
}

variable "node_instance_profile" {
  type = string
}

variable "load_balancer_name" {
  type = string
}

variable "target_group_name" {
  type = string
}

variable "first_control_plane_user_data" {
  type = string
}

variable "control_plane_user_data" {
  type = list(string)
}

variable "worker_user_data" {
  type = string
}

variable "tags" {
  type    = map(string)
  default = {}
}

# The cluster itself. Everything else of it may change without a new one.
resource "terraform_data" "cluster" {
  input = {
    name      = var.cluster_name
    parameter = "${var.parameter_prefix}kubeconfig"
  }

  provisioner "local-exec" {
    interpreter = ["machines"]
    command     = "create {{.URL}} ${self.input.name} ${self.input.parameter} ${var.instance_type}"
  }

  provisioner "local-exec" {
    when        = destroy
    interpreter = ["machines"]
    command     = "delete {{.URL}} ${self.input.name}"
  }
}

resource "terraform_data" "nodes" {
  triggers_replace = [terraform_data.cluster.id, var.node_count]

  provisioner "local-exec" {
    interpreter = ["machines"]
    command     = "resize {{.URL}} ${var.cluster_name} ${var.node_count}"
  }
}

output "cluster_name" {
  value = terraform_data.cluster.output.name
}

output "endpoint" {
  value = "{{.API}}"
}
