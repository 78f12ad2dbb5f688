# A node pool in each zone: a pool of several zones counts its nodes per zone,
# but what is asked for is a number in all.

locals {
  scaled = var.max_node_count > var.node_count
  # A pool that may have no node at all is none.
  pools = min(length(local.zones), max(var.max_node_count, 1))

  # What does not divide evenly goes to the first zones.
  counts = [for i in range(local.pools) : floor(var.node_count / local.pools) + (i < var.node_count % local.pools ? 1 : 0)]
  most   = [for i in range(local.pools) : floor(var.max_node_count / local.pools) + (i < var.max_node_count % local.pools ? 1 : 0)]
}

resource "google_container_node_pool" "nodes" {
  count = local.pools

  project        = var.project
  cluster        = google_container_cluster.this.id
  name           = "nodes-${count.index}"
  node_locations = [local.zones[count.index]]

  node_count         = local.scaled ? null : local.counts[count.index]
  initial_node_count = local.scaled ? local.counts[count.index] : null

  dynamic "autoscaling" {
    for_each = local.scaled ? [1] : []

    content {
      total_min_node_count = local.counts[count.index]
      total_max_node_count = local.most[count.index]
    }
  }

  node_config {
    machine_type    = var.instance_type
    spot            = var.spot
    disk_size_gb    = var.node_volume_size_gib
    service_account = google_service_account.nodes.email
    oauth_scopes    = ["https://www.googleapis.com/auth/cloud-platform"]
    resource_labels = var.labels

    metadata = {
      disable-legacy-endpoints = "true"
    }

    workload_metadata_config {
      mode = "GKE_METADATA"
    }

    shielded_instance_config {
      enable_secure_boot          = true
      enable_integrity_monitoring = true
    }
  }

  # The release channel wants both.
  management {
    auto_repair  = true
    auto_upgrade = true
  }

  upgrade_settings {
    max_surge       = 1
    max_unavailable = 0
  }

  lifecycle {
    ignore_changes = [initial_node_count, node_locations]
  }
}
