# A GKE cluster with private nodes.

locals {
  location = var.zone == null ? var.region : var.zone
  zones    = var.zone == null ? slice(data.google_compute_zones.this[0].names, 0, min(3, length(data.google_compute_zones.this[0].names))) : [var.zone]
}

data "google_compute_zones" "this" {
  count = var.zone == null ? 1 : 0

  project = var.project
  region  = var.region
}

# The nodes' own identity, instead of the project's default one, which may edit
# everything. The first role is what GKE's agents need, the second pulls images.
resource "google_service_account" "nodes" {
  project      = var.project
  account_id   = var.service_account_id
  display_name = "Nodes of the GKE cluster ${var.cluster_name}"
}

resource "google_project_iam_member" "nodes" {
  for_each = toset(["roles/container.defaultNodeServiceAccount", "roles/artifactregistry.reader"])

  project = var.project
  role    = each.value
  member  = google_service_account.nodes.member
}

resource "google_container_cluster" "this" {
  project            = var.project
  name               = var.cluster_name
  location           = local.location
  node_locations     = var.zone == null ? local.zones : null
  min_master_version = var.kubernetes_version
  # What destroys a cluster asks for it twice already.
  deletion_protection = false

  network           = var.network_id
  subnetwork        = var.subnet_id
  networking_mode   = "VPC_NATIVE"
  datapath_provider = "ADVANCED_DATAPATH"
  resource_labels   = var.labels

  # GKE makes no cluster without a pool; it goes at once, for those below.
  remove_default_node_pool = true
  initial_node_count       = 1

  node_config {
    service_account = google_service_account.nodes.email
    disk_size_gb    = var.node_volume_size_gib

    shielded_instance_config {
      enable_secure_boot          = true
      enable_integrity_monitoring = true
    }
  }

  # Nobody gets in with a certificate that can not be revoked.
  master_auth {
    client_certificate_config {
      issue_client_certificate = false
    }
  }

  release_channel {
    channel = "REGULAR"
  }

  ip_allocation_policy {
    cluster_secondary_range_name  = var.pods_range
    services_secondary_range_name = var.services_range == "" ? null : var.services_range
  }

  private_cluster_config {
    enable_private_nodes    = true
    enable_private_endpoint = false
    master_ipv4_cidr_block  = var.control_plane_cidr
  }

  dynamic "master_authorized_networks_config" {
    for_each = length(var.api_server_allowed_cidrs) > 0 ? [1] : []

    content {
      gcp_public_cidrs_access_enabled = false

      dynamic "cidr_blocks" {
        for_each = toset(var.api_server_allowed_cidrs)

        content {
          cidr_block = cidr_blocks.value
        }
      }
    }
  }

  workload_identity_config {
    workload_pool = "${var.project}.svc.id.goog"
  }

  lifecycle {
    # The default pool is gone; and a zone that Google adds moves nothing.
    ignore_changes = [node_config, initial_node_count, node_locations]
  }

  depends_on = [google_project_iam_member.nodes]
}
