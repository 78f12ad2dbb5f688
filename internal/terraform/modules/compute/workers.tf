# Workers: a launch template and an Auto Scaling group.

resource "aws_launch_template" "workers" {
  name_prefix = "${var.cluster_name}-worker-"
  description = "Workers of the cluster ${var.cluster_name} with Kubernetes ${var.kubernetes_version}"
  # Resolved when a machine starts: it gets the newest image, and a new image
  # is no change of the template.
  image_id      = "resolve:ssm:${local.image}"
  instance_type = var.instance_type
  user_data     = base64encode(var.worker_user_data)

  vpc_security_group_ids = [var.cluster_security_group_id]

  iam_instance_profile {
    name = var.node_instance_profile
  }

  metadata_options {
    http_endpoint               = "enabled"
    http_tokens                 = "required"
    http_put_response_hop_limit = 2
  }

  block_device_mappings {
    # The root device of Amazon Linux 2023.
    device_name = "/dev/xvda"

    ebs {
      volume_type           = "gp3"
      volume_size           = var.node_volume_size_gib
      encrypted             = "true"
      delete_on_termination = "true"
    }
  }

  dynamic "instance_market_options" {
    for_each = var.spot ? [1] : []

    content {
      market_type = "spot"
    }
  }

  # The machines have their tags from the group.
  tag_specifications {
    resource_type = "volume"
    tags          = merge(var.tags, { Name = "${var.cluster_name}-worker" })
  }

  lifecycle {
    create_before_destroy = true
  }
}

resource "aws_autoscaling_group" "workers" {
  name_prefix         = "${var.cluster_name}-worker-"
  min_size            = var.node_count
  max_size            = var.max_node_count
  desired_capacity    = var.max_node_count > var.node_count ? null : var.node_count
  vpc_zone_identifier = local.node_subnets

  launch_template {
    id      = aws_launch_template.workers.id
    version = aws_launch_template.workers.latest_version
  }

  # Another version, instance type or larger volumes: one new machine after the
  # other, each before the one that it replaces goes.
  instance_refresh {
    strategy = "Rolling"

    preferences {
      min_healthy_percentage = 100
      max_healthy_percentage = 110
      # Seconds. The group does not see whether a machine has joined by then.
      instance_warmup = "300"
    }
  }

  dynamic "tag" {
    for_each = merge(var.tags, local.cluster_tag, { Name = "${var.cluster_name}-worker" })

    content {
      key                 = tag.key
      value               = tag.value
      propagate_at_launch = true
    }
  }

  lifecycle {
    create_before_destroy = true
  }

  # A worker that starts before there is an endpoint only waits.
  depends_on = [aws_ssm_parameter.endpoint]
}
